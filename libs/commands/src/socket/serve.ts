// Runs `svc` commands inside a running instance, because a second process must not open the embedded stores.
import { rmSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { AppError } from '@svc-server/errors'
import { createHttpServer } from '@svc-server/http/listeners'
import type { CommandContext } from '../command.ts'
import { runCommand } from '../run.ts'
import { isOwnSocket, type Line } from './address.ts'

const maxRequestBytes = 1 << 20

/** Returns undefined if the bytes are not arguments, because a client can write any bytes. */
function readArguments(body: Buffer): readonly string[] | undefined {
  try {
    const argv: unknown = JSON.parse(body.toString('utf8'))
    return Array.isArray(argv) && argv.every(each => typeof each === 'string') ? argv : undefined
  } catch {
    return undefined
  }
}

/** Returns undefined for a body larger than any command. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxRequestBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const refuse = (response: ServerResponse, status: number) => void response.writeHead(status, { connection: 'close' }).end()

/** The socket has mode 0600 from the beginning, because a client that connects before a later chmod would stay connected. */
function listenPrivately(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail)
    const before = process.umask(0o177)
    try {
      server.listen(path, done)
    } finally {
      process.umask(before)
    }
  })
}

/** Removes the socket file that remains after a crash. This is safe, because the caller holds the lock of the data directory. */
export async function serveCommands(
  path: string,
  context: Omit<CommandContext, 'print' | 'signal'>,
  onDefect: (error: unknown) => void,
): Promise<Server> {
  rmSync(path, { force: true })
  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method !== 'POST') return refuse(response, 405)
    // The client can disconnect before its request is complete.
    const body = await readBody(incoming).catch(() => undefined)
    const argv = body === undefined ? undefined : readArguments(body)
    if (argv === undefined) return refuse(response, 400)
    const send = (line: Line) => response.write(`${JSON.stringify(line)}\n`)
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    const left = new AbortController()
    response.on('close', () => left.abort())
    try {
      const print = (out: string) => void send({ out })
      send({ exit: await runCommand(argv, { ...context, signal: left.signal, print }, error => send({ error })) })
    } catch (error) {
      onDefect(error)
      send({ error: 'The command failed because of a defect. The log of the running instance contains the stack trace.' })
      send({ exit: 1 })
    }
    response.end()
  }
  const server = createHttpServer({ handle, onDefect })
  await listenPrivately(server, path)
  if (!isOwnSocket(path)) {
    server.close()
    throw new AppError(
      'config_invalid',
      `${path} cannot be made a socket that only this user can access. Choose a different SVC_DATA_DIR.`,
      { path },
    )
  }
  return server
}
