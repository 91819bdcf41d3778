import { expect, test } from 'vitest'
import { answered, at, unanswered } from '../../support/dns-attempt.ts'
import { startDnsLiar } from '../../support/dns-liar.ts'
import { replyTo } from '../../support/dns-messages.ts'
import { one } from '../../support/honest-dns.ts'

let pouring: NodeJS.Immediate | undefined
const stop = () => clearImmediate(pouring)

/** Sends what answers no question, a hundred at a time, until it is stopped. */
function pour(question: Buffer, reply: (message: Buffer) => void): void {
  const wrong = replyTo(question, { id: question.readUInt16BE(0) ^ 1 })
  for (let times = 0; times < 100; times += 1) reply(wrong)
  pouring = setImmediate(() => pour(question, reply))
}

test('a name server that pours out what answers nothing is listened to a thousand times', async () => {
  await using liar = await startDnsLiar({ udp: pour })
  const failed = await unanswered(at(liar)).finally(stop)
  expect(failed).toMatchObject({
    kind: 'unreachable',
    cause: {
      class: 'dns-failed',
      message:
        'The answer of the name server cannot be read: too much came that does not answer the question',
    },
    evidence: { unfit: 1000, sent: 1, addresses: [{ address: '127.0.0.1', fate: 'failed' }] },
  })
})

test('another resolver of the agent stands in for one that pours out what answers nothing', async () => {
  await using liar = await startDnsLiar({ udp: pour })
  await using honest = await startDnsLiar({
    udp: (question, reply) => reply(replyTo(question, { answers: [one] })),
  })
  const nameServers = [liar.nameServer, honest.nameServer]
  const { observation } = await answered({}, { nameServers }).finally(stop)
  expect(observation).toMatchObject({ unfit: 1000, response: { server: honest.nameServer } })
})
