// A command for the instance that runs: its arguments go there, its lines come back.
import { request } from 'node:http'
import { isOwnSocket, type Line } from './address.ts'

/** Undefined for what is no line of an answer: a connection that broke in the middle of one. */
function readLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}

export interface CommandOutput {
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/**
 * Runs a command in the instance that listens. Resolves with its exit code, or undefined when nobody listens.
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
      response.on('end', () => (exit === undefined ? fail(new Error('The running instance ended before the command did.')) : done(exit)))
      response.on('error', fail)
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? done(undefined) : fail(error),
    )
    outgoing.end(JSON.stringify(argv))
  })
}
