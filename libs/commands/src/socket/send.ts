// A command for the instance that runs: its arguments go there, its lines come back.
import { request } from 'node:http'
import { AppError } from '@svc-server/errors'
import { isOwnSocket, type Line } from './address.ts'

/** Undefined for what is no line of an answer: a connection that broke in the middle of one. */
function readLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}

/** It was killed, or drained and had waited long enough: no defect of the command, and no stack trace for who asked. */
const endedBefore = (cause?: Error) =>
  new AppError(
    'draining',
    'The running instance ended before the command did, which may have done its work or a part of it. Look, and run it again once an instance runs, or none.',
    {},
    { cause },
  )

export interface CommandOutput {
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/**
 * Runs a command in the instance that listens. Resolves with its exit code, or undefined when nobody listens. Throws `draining` when the
 * instance is gone before the answer is whole.
 */
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
      response.on('end', () => (exit === undefined ? fail(endedBefore()) : done(exit)))
      response.on('error', cause => fail(endedBefore(cause)))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? done(undefined) : fail(endedBefore(error)),
    )
    outgoing.end(JSON.stringify(argv))
  })
}
