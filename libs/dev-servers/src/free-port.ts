import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * All chosen ports are below the range for outgoing connections, which begins at 32768 on Linux. Otherwise, an outgoing connection could
 * take a port before the server binds to it. Each process has its own range of ports, and listens on the first port of this range. Other
 * processes then see that the range is in use.
 */
const first = 10_000
const stretch = 350
const stretches = 64
let chosen = 0
let ownStretch: Promise<number> | undefined

export async function freePort(): Promise<number> {
  ownStretch ??= takeStretch()
  const start = await ownStretch
  for (let tries = 1; tries < stretch; tries++) {
    const port = start + 1 + (chosen++ % (stretch - 1))
    if (await isFree(port)) return port
  }
  throw new Error(`None of the ${stretch} ports from ${start} is free.`)
}

/** The search begins at a position that depends on the process id. Two processes therefore rarely try the same range. */
async function takeStretch(): Promise<number> {
  for (let tries = 0; tries < stretches; tries++) {
    const start = first + ((process.pid + tries) % stretches) * stretch
    const guard = await listening(start)
    if (guard !== undefined) {
      guard.unref()
      return start
    }
  }
  throw new Error(`${stretches} processes already use ports from ${first}: no range of ${stretch} ports is left.`)
}

async function isFree(port: number): Promise<boolean> {
  const server = await listening(port)
  if (server === undefined) return false
  server.close()
  await once(server, 'close')
  return true
}

async function listening(port: number): Promise<Server | undefined> {
  const server = createServer(socket => socket.destroy())
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return server
  } catch {
    return undefined
  }
}
