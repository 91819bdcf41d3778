import { expect, test } from 'vitest'
import { startTestAgent } from '../support/test-agent.ts'

test('an agent says at its start what each egress rule was read as', async () => {
  const { log } = await startTestAgent({
    env: { EGRESS_ALLOW: '10.0.0.0/8, nonsense', EGRESS_DENY: '*.example.com,fd00::1' },
  })
  expect(log.filter(({ msg }) => msg.startsWith('checks may'))).toMatchObject([
    {
      msg: 'checks may reach nothing but what EGRESS_ALLOW names',
      rules: ['CIDR 10.0.0.0/8', 'host nonsense'],
    },
    {
      msg: 'checks may not reach what EGRESS_DENY names',
      rules: ['address fd00::1', 'hosts under example.com'],
    },
  ])
})

test('an agent without egress rules says nothing of them', async () => {
  const { log } = await startTestAgent()
  expect(log.filter(({ msg }) => msg.startsWith('checks may'))).toEqual([])
})
