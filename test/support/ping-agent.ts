import { expect, vi } from 'vitest'
import type { FakeService } from './fake-service.ts'

/** The pings that a service has, when there are so many. */
export function pingsOf(service: FakeService, count: number): Promise<FakeService['pings']> {
  return vi.waitFor(
    () => {
      expect(service.pings).toHaveLength(count)
      return service.pings
    },
    { timeout: 15_000, interval: 20 },
  )
}
