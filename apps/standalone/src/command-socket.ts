// `svc` commands reach a running instance here: the embedded stores must not be opened a second time.
import { createHash } from 'node:crypto'
import { lstatSync, rmSync } from 'node:fs'
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { AppError } from '@svc-server/errors'
import { createHttpServer } from '@svc-server/service/http'
import { type CommandContext, runCommand } from '@svc-server/svc'
import { z } from 'zod'

/** Longest path that a unix socket can have on every supported system (macOS: 104 bytes with the closing zero). */
const maxSocketPathBytes = 100

/** The socket of a data directory; one in the temporary directory when the directory's own path is too long for a socket. */
export function socketPathOf(directory: string): string {
  const own = join(resolve(directory), 'svc.sock')
  if (Buffer.byteLength(own) <= maxSocketPathBytes) return own
  return join(tmpdir(), `svc-${userInfo().uid}-${createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 16)}.sock`)
}

/** One line of the answer. The last one carries the exit code. */
type Line = { readonly out: string } | { readonly error: string } | { readonly exit: number }

/** Undefined for what is no line of an answer: a connection that broke in the middle of one. */
function readLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}

const maxRequestBytes = 1 << 20
const requestSchema = z.array(z.string())

/** The arguments of a command, or undefined for bytes that are none: whoever reaches the socket can write anything into it. */
function readArguments(body: Buffer): readonly string[] | undefined {
  try {
    return requestSchema.parse(JSON.parse(body.toString('utf8')))
  } catch {
    return undefined
  }
}

/** The whole body, or undefined when it is larger than a command can be. */
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

/** The socket has its mode (0600) from its first moment: whoever connects between a bind and a chmod stays connected. */
function listenPrivately(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail)
    const before = process.umask(0o177)
    try {
      // Binds before it returns.
      server.listen(path, done)
    } finally {
      process.umask(before)
    }
  })
}

/** Listens on the socket (mode 0600). The caller holds the directory's lock, so a socket that is there is left over from a crash. */
export async function serveCommands(
  path: string,
  context: Omit<CommandContext, 'print' | 'signal'>,
  /** Told of what a command threw: it costs the command, never the process that serves it. */
  onDefect: (error: unknown) => void,
): Promise<Server> {
  rmSync(path, { force: true })
  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method !== 'POST') return refuse(response, 405)
    // A caller that leaves in the middle of its request has asked for nothing.
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
      send({ error: 'The command failed by a defect; the log of the running instance has its stack.' })
      send({ exit: 1 })
    }
    response.end()
  }
  const server = createHttpServer({ handle, onDefect })
  await listenPrivately(server, path)
  if (!isOwnSocket(path)) {
    server.close()
    throw new AppError('config_invalid', `${path} cannot be a socket of this user alone. Choose another SVC_DATA_DIR.`, { path })
  }
  return server
}

export interface CommandOutput {
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/** Runs a command in the instance that listens. Resolves with its exit code, or undefined when nobody listens. */
export function sendCommand(path: string, argv: readonly string[], { print, printError }: CommandOutput): Promise<number | undefined> {
  if (!isOwnSocket(path)) return Promise.resolve(undefined)
  return new Promise((done, fail) => {
    const outgoing = request({ socketPath: path, method: 'POST', path: '/' }, response => {
      let rest = ''
      let exit: number | undefined
      const take = (text: string) => {
        const line = readLine(text)
        if (line === undefined) return
        if ('out' in line) print(line.out)
        else if ('error' in line) printError(line.error)
        else exit = line.exit
      }
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        lines.forEach(take)
      })
      response.on('end', () => (exit === undefined ? fail(new Error('The running instance ended before the command did.')) : done(exit)))
      response.on('error', fail)
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? done(undefined) : fail(error),
    )
    outgoing.end(JSON.stringify(argv))
  })
}

/** A socket that somebody else made, or others may use, is not asked: it would be given the command. */
function isOwnSocket(path: string): boolean {
  try {
    const status = lstatSync(path)
    return status.isSocket() && status.uid === userInfo().uid && (status.mode & 0o077) === 0
  } catch {
    return false
  }
}
