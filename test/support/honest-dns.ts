import type { Answer } from 'dns-packet'
import type { DnsLies } from './dns-liar.ts'
import { framed, replyTo } from './dns-messages.ts'

export const one: Answer = { type: 'A', name: 'a.test', ttl: 60, data: '192.0.2.1' }

/** A name server that answers every question with that record. */
export const honest = {
  udp: (question, reply) => reply(replyTo(question, { answers: [one] })),
  tcp: (question, socket) => socket.write(framed(replyTo(question, { answers: [one] }))),
} as const satisfies DnsLies
