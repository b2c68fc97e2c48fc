// `npm run svc -- <command>` runs a command. If a command needs stores and the log is Kafka, the command connects to the servers. If the
// log is embedded, the command runs in the running instance, through its socket. If no instance runs, the command opens the stores itself,
// under the lock of the data directory. The program loads only the code that the command needs.
import { isAppError } from '@svc-server/errors'
import { makeFilesPrivate } from '@svc-server/service/files'

interface Output {
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

const output: Output = {
  print: line => void process.stdout.write(`${line}\n`),
  printError: line => void process.stderr.write(`${line}\n`),
}

async function main(argv: readonly string[]): Promise<number> {
  const { answerWithoutStores, isLocal, runLocalCommand } = await import('@svc-server/commands/run')
  const early = await answerWithoutStores(argv)
  if (early) {
    ;(early.exitCode === 0 ? output.print : output.printError)(early.text)
    return early.exitCode
  }
  if (isLocal(argv)) return runLocalCommand(argv, output.print, output.printError, process.env)
  try {
    const { runOnStores } = await import('./run-on-stores.ts')
    return await runOnStores(argv, process.env, output)
  } catch (error) {
    if (!isAppError(error)) throw error
    output.printError(`svc: ${error.message}`)
    return 1
  }
}

/** If the reader closes the pipe (`svc … | head`), the command still completes its work. */
function goOnUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

makeFilesPrivate()
for (const stream of [process.stdout, process.stderr]) stream.on('error', goOnUnread)
process.exitCode = await main(process.argv.slice(2))
