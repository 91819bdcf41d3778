import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** A port of loopback over UDP and over TCP: another process may hold it for one of them. */
export async function bindDnsPorts(): Promise<{ readonly udp: Socket; readonly tcp: Server }> {
  for (;;) {
    const udp = createSocket('udp4')
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
    const tcp = createServer()
    const listening = once(tcp, 'listening').then(
      () => true,
      () => false,
    )
    tcp.listen(udp.address().port, '127.0.0.1')
    if (await listening) return { udp, tcp }
    udp.close()
  }
}
