// Finds the command, runs it and turns every failure into a sentence and an exit code.
import { isAppError } from '@svc-server/errors'
import { type Command, type CommandContext, UsageError } from './command.ts'
import { checkCommand } from './commands/check.ts'
import { deadLetterCommand } from './commands/dead-letter.ts'
import { explainCommand } from './commands/explain.ts'
import { keysCommand } from './commands/keys.ts'
import { logCommand } from './commands/log.ts'
import { migrateCommand } from './commands/migrate.ts'
import { topicsCommand } from './commands/topics.ts'

const commands: readonly Command[] = [
  keysCommand,
  topicsCommand,
  checkCommand,
  deadLetterCommand,
  logCommand,
  migrateCommand,
  explainCommand,
]

const wantsHelp = (args: readonly string[]) => args.some(arg => arg === '--help' || arg === '-h')

export function overview(): string {
  const width = commands.reduce((widest, { name }) => Math.max(widest, name.length), 0)
  return [
    'svc: commands for operators',
    '',
    ...commands.map(command => `  ${command.name.padEnd(width)}  ${command.summary}`),
    '',
    'svc <command> --help says more. A command reaches the instance that runs on SVC_DATA_DIR; when none runs, it opens the stores itself.',
  ].join('\n')
}

/** The command a list of arguments asks for, or undefined when it asks for help or names none. */
export const findCommand = (argv: readonly string[]): Command | undefined =>
  wantsHelp(argv) ? undefined : commands.find(command => command.name === argv[0])

/** True for a command that must run where its files are, and not in the running instance. */
export const isLocal = (argv: readonly string[]): boolean => findCommand(argv)?.local === true

const noStore = () => Promise.reject(new Error('a local command opens no store'))

/** Runs a local command; as `runCommand`. */
export const runLocalCommand = (
  argv: readonly string[],
  print: (line: string) => void,
  printError: (line: string) => void,
): Promise<number> => runCommand(argv, { keys: noStore, log: noStore, columnStore: noStore, servicesRunning: false, print }, printError)

/** Text that answers without any store: help, or the complaint about an unknown command with exit code 2. */
export function answerWithoutStores(argv: readonly string[]): { readonly text: string; readonly exitCode: number } | undefined {
  const [name, ...rest] = argv
  if (name === undefined || name === 'help' || name.startsWith('-')) return { text: overview(), exitCode: name === undefined ? 2 : 0 }
  const command = commands.find(candidate => candidate.name === name)
  if (!command) return { text: `svc: there is no command '${name}'.\n\n${overview()}`, exitCode: 2 }
  return wantsHelp(rest) ? { text: command.help, exitCode: 0 } : undefined
}

/** Runs one command. Returns the exit code: 0 done, 1 failed, 2 wrong arguments. */
export async function runCommand(argv: readonly string[], context: CommandContext, printError: (line: string) => void): Promise<number> {
  const early = answerWithoutStores(argv)
  if (early) {
    ;(early.exitCode === 0 ? context.print : printError)(early.text)
    return early.exitCode
  }
  const [name, ...args] = argv
  const command = findCommand(argv)!
  try {
    // The files are the operator's, and may be endless: the instance does not open what somebody names to it.
    if (command.local && context.servicesRunning) throw new UsageError('this command runs where its files are, and not in the instance.')
    await command.run(args, context)
    return 0
  } catch (error) {
    if (error instanceof UsageError || (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) {
      printError(`svc ${name}: ${error.message}\nsvc ${name} --help says what is right.`)
      return 2
    }
    if (!isAppError(error)) throw error
    printError(`svc ${name}: ${error.message} (${error.code})\n${error.definition.help}`)
    return 1
  }
}
