import type { Server } from 'node:http'

export interface ListenAddress {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
}

/** Gives the port when the server listens. Rejects with what `fault` makes of the system's error. */
export function listen(
  server: Server,
  { host, port }: ListenAddress,
  fault: (cause: NodeJS.ErrnoException) => Error,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(fault(cause)))
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}
