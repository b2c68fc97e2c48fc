export type { Command, CommandContext } from './command.ts'
export { answerWithoutStores, runCommand } from './run.ts'
