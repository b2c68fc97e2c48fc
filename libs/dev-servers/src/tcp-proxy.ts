// A TCP proxy in front of a healthy server simulates a faulty network. A broker can tell clients the proxy's port, so that clients reach
// the broker only through the proxy.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  readonly connections: number
  /** Number of response chunks that the proxy discarded. */
  readonly swallowed: number
  /**
   * Forwards all bytes, and listens again if `down` was called. If the proxy has discarded bytes of a connection (`dropDown`), the
   * connection stays broken until the proxy resets it.
   */
  pass(): Promise<void>
  /** Delays all bytes in both directions. */
  latency(ms: number): void
  /** Discards responses, so that the client does not know whether its request succeeded. */
  dropDown(): void
  /** Forwards no bytes until a test calls `pass`. */
  blackhole(): void
  /** Resets new connections. Open connections stay open. */
  refuse(): void
  resetAll(): void
  /** Stops listening, and resets all connections. */
  down(): Promise<void>
  close(): Promise<void>
}

type Mode = { readonly kind: 'pass' | 'drop-down' | 'blackhole' | 'refuse' | 'down' } | { readonly kind: 'latency'; readonly ms: number }

interface Link {
  readonly client: Socket
  readonly server: Socket
  /**
   * True if the proxy has discarded bytes of the server's response. Without these bytes, the client cannot understand later bytes of the
   * connection.
   */
  deaf: boolean
}

/** `target` is a port of this machine. The proxy listens on the loopback address, by default on a free port. */
export async function createTcpProxy({ target, port = 0 }: { readonly target: number; readonly port?: number }): Promise<TcpProxy> {
  const links = new Set<Link>()
  let swallowed = 0
  let mode: Mode = { kind: 'pass' }
  let server: Server | undefined

  const forward = (link: Link, from: Socket, to: Socket, isAnswer: boolean): void => {
    let dueAt = 0
    const write = (chunk: Buffer): void => {
      if (to.destroyed || to.write(chunk)) return
      from.pause()
      to.once('drain', () => mode.kind !== 'blackhole' && from.resume())
    }
    const delayed: { readonly chunk: Buffer; readonly dueAt: number }[] = []
    const writeDue = (): void => {
      for (;;) {
        const first = delayed[0]
        if (first === undefined) return
        const wait = first.dueAt - performance.now()
        // The wait is rounded up, because Node's timers can fire up to 1 ms early.
        if (wait > 0) return void setTimeout(writeDue, Math.ceil(wait))
        delayed.shift()
        write(first.chunk)
      }
    }
    from.on('data', chunk => {
      if (isAnswer && mode.kind === 'drop-down') link.deaf = true
      if (isAnswer && link.deaf) return void swallowed++
      // A chunk must not overtake the previous chunk when the delay changes.
      dueAt = Math.max(dueAt, performance.now() + (mode.kind === 'latency' ? mode.ms : 0))
      delayed.push({ chunk, dueAt })
      if (delayed.length === 1) writeDue()
    })
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    from.on('close', () => {
      to.destroy()
      links.delete(link)
    })
  }

  const accept = (client: Socket): void => {
    if (mode.kind === 'refuse') return void client.resetAndDestroy()
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true })
    client.setNoDelay(true)
    const link: Link = { client, server: upstream, deaf: false }
    links.add(link)
    forward(link, client, upstream, false)
    forward(link, upstream, client, true)
    if (mode.kind === 'blackhole') for (const socket of [client, upstream]) socket.pause()
  }

  const listen = async (on: number): Promise<number> => {
    const next = createServer(accept)
    next.listen(on, '127.0.0.1')
    await once(next, 'listening')
    server = next
    return (next.address() as AddressInfo).port
  }
  const listeningPort = await listen(port)

  const resetAll = (): void => {
    for (const { client, server } of links) {
      client.resetAndDestroy()
      server.resetAndDestroy()
    }
    links.clear()
  }
  const stopListening = async (): Promise<void> => {
    const stopped = server
    server = undefined
    if (!stopped) return
    const closed = once(stopped, 'close')
    stopped.close()
    resetAll()
    await closed
  }
  const enter = (next: Mode): void => {
    mode = next
    for (const { client, server } of links) {
      for (const socket of [client, server]) {
        if (next.kind === 'blackhole') socket.pause()
        else socket.resume()
      }
    }
  }
  const close = async (): Promise<void> => {
    mode = { kind: 'down' }
    await stopListening()
  }

  return {
    port: listeningPort,
    get connections() {
      return links.size
    },
    get swallowed() {
      return swallowed
    },
    async pass() {
      enter({ kind: 'pass' })
      if (!server) await listen(listeningPort)
    },
    latency: ms => enter({ kind: 'latency', ms }),
    dropDown: () => enter({ kind: 'drop-down' }),
    blackhole: () => enter({ kind: 'blackhole' }),
    refuse: () => enter({ kind: 'refuse' }),
    resetAll,
    down: close,
    close,
    [Symbol.asyncDispose]: close,
  }
}
