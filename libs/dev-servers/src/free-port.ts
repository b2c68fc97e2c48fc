// A port nobody listens on, for servers that cannot be told to take any (port 0).
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections (Linux: from 32768): a server that binds its port seconds after it was chosen finds it
 * taken by none. And each process has a stretch of its own, so that those who choose side by side do not choose the same: the stretch's first port
 * is listened on for as long as the process lives, which says to all others that it is taken.
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
  throw new Error(`No port is free from ${start} on, ${stretch} were tried.`)
}

/** Its first port. Where to look first is any: those who start together need not ask for the same one in turn. */
async function takeStretch(): Promise<number> {
  for (let tries = 0; tries < stretches; tries++) {
    const start = first + ((process.pid + tries) % stretches) * stretch
    const guard = await listening(start)
    if (guard !== undefined) {
      guard.unref()
      return start
    }
  }
  throw new Error(`${stretches} processes choose ports from ${first} on: no stretch of ${stretch} is left.`)
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
