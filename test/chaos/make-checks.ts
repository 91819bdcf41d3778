import { apiCheckBody } from '../support/api-checks.ts'

export const intervalMs = 10_000

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** A third runs at both locations each time, the others at one of them in turn. Returns the slots of an interval. */
export async function makeChecks(api: Call, targetUrl: string, count: number): Promise<number> {
  for (let n = 0; n < count; n += 1) {
    const body = apiCheckBody({
      name: `check ${n}`,
      locations: ['eu-west-1', 'us-east-1'],
      runParallel: n % 3 === 0,
      request: { method: 'GET', url: `${targetUrl}/${n}` },
    })
    await api('POST', '/v1/checks/api', body)
  }
  return count + Math.ceil(count / 3)
}
