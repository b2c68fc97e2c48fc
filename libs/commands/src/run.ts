import { isAppError } from '@svc-server/errors'
import { type CommandContext, UsageError } from './command.ts'
import { commands, type ListedCommand } from './commands.ts'

const wantsHelp = (args: readonly string[]) => args.some(arg => arg === '--help' || arg === '-h')

function overview(): string {
  const width = commands.reduce((widest, { name }) => Math.max(widest, name.length), 0)
  return [
    'svc: commands for operators',
    '',
    ...commands.map(command => `  ${command.name.padEnd(width)}  ${command.summary}`),
    '',
    'svc <command> --help describes a command. A command runs in the instance on SVC_DATA_DIR; if no instance runs there, the command opens the stores itself.',
  ].join('\n')
}

/** Returns undefined if the arguments request help or contain no command. */
const findCommand = (argv: readonly string[]): ListedCommand | undefined =>
  wantsHelp(argv) ? undefined : commands.find(command => command.name === argv[0])

/** True for a command that reads the operator's files, and so runs in the operator's process. */
export const isLocal = (argv: readonly string[]): boolean => findCommand(argv)?.isLocal === true

const noStore = () => Promise.reject(new Error('a local command opens no store'))

export const runLocalCommand = (
  argv: readonly string[],
  print: (line: string) => void,
  printError: (line: string) => void,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<number> =>
  runCommand(
    argv,
    {
      keys: noStore,
      relational: noStore,
      log: noStore,
      columnStore: noStore,
      migrations: noStore,
      writeMode: 'events_only',
      servicesRunning: false,
      env,
      print,
    },
    printError,
  )

/** Returns the help text, or the error for an unknown command or option. Returns undefined if the command must run. */
export async function answerWithoutStores(
  argv: readonly string[],
): Promise<{ readonly text: string; readonly exitCode: number } | undefined> {
  const [name, ...rest] = argv
  if (name === undefined || name === 'help') return { text: overview(), exitCode: name === undefined ? 2 : 0 }
  if (name.startsWith('-'))
    return wantsHelp(argv)
      ? { text: overview(), exitCode: 0 }
      : { text: `svc: there is no option '${name}'. Options stand behind the command.\n\n${overview()}`, exitCode: 2 }
  const listed = commands.find(candidate => candidate.name === name)
  if (!listed) return { text: `svc: there is no command '${name}'.\n\n${overview()}`, exitCode: 2 }
  if (!wantsHelp(rest)) return undefined
  const { command } = await listed.load()
  return { text: command.help, exitCode: 0 }
}

/** Returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments. */
export async function runCommand(argv: readonly string[], context: CommandContext, printError: (line: string) => void): Promise<number> {
  const early = await answerWithoutStores(argv)
  if (early) {
    ;(early.exitCode === 0 ? context.print : printError)(early.text)
    return early.exitCode
  }
  const [name, ...args] = argv
  const listed = findCommand(argv)!
  try {
    // The instance must not read the operator's files, because they can be private or endless.
    if (listed.isLocal && context.servicesRunning)
      throw new UsageError('this command runs on the machine with its files, not in the running instance.')
    const { command } = await listed.load()
    await command.run(args, context)
    return 0
  } catch (error) {
    if (error instanceof UsageError || (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) {
      printError(`svc ${name}: ${error.message}\nsvc ${name} --help describes the command.`)
      return 2
    }
    if (!isAppError(error)) throw error
    printError([`svc ${name}: ${error.message} (${error.code})`, error.operatorHelp ?? []].flat().join('\n'))
    return 1
  }
}
