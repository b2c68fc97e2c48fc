// A port nobody listens on, for servers that cannot be told to take any (port 0).
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections (Linux: from 32768): a server that binds its port seconds after it was chosen finds it
 * taken by none. And each process has a stretch of its own, so that those who choose side by side do not choose the same.
 */
const first = 10_000
const stretch = 350
const stretches = 64
let chosen = 0

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < stretch; tries++) {
    const port = first + (process.pid % stretches) * stretch + (chosen++ % stretch)
    if (await isFree(port)) return port
  }
  throw new Error(`No port is free from ${first + (process.pid % stretches) * stretch} on, ${stretch} were tried.`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
