/** The body of a create operation, with no more than is needed. */
export function apiCheckBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'a check',
    locations: ['eu-west-1'],
    frequency: 0,
    frequencyOffset: 10,
    doubleCheck: false,
    request: { method: 'GET', url: 'http://127.0.0.1:9/' },
    ...overrides,
  }
}
