import type { Question, Resolve } from '../../src/runner/dial/resolve.ts'

/** The addresses of a name, of IPv4 unless told; rejects as the resolver fails. */
export function ask(
  resolve: Resolve,
  hostname: string,
  question: Partial<Question> = {},
): Promise<readonly string[]> {
  return new Promise((done, reject) => {
    resolve({ hostname, family: 4, fresh: false, ...question }, (error, addresses) =>
      error ? reject(error) : done(addresses),
    )
  })
}
