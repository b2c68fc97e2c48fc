// Runs a command in the running instance, and prints the returned lines.
import { request } from 'node:http'
import { AppError } from '@svc-server/errors'
import { isOwnSocket, type Line } from './address.ts'

/** Returns undefined for an incomplete line, which a broken connection leaves. */
function readLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}

/** Returns an AppError, which is printed without a stack trace, because the command itself has no bug. */
const endedBefore = (cause?: Error) =>
  new AppError(
    'draining',
    'The running instance ended during the command. The command may have done all or only a part of its work. Check whether an instance runs, then run the command again.',
    {},
    { cause },
  )

export interface CommandOutput {
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/**
 * Resolves with the exit code, or with undefined if no instance listens. Rejects with `draining` if the instance ends before the response
 * is complete.
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
