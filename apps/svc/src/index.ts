export type { Command, CommandContext } from './command.ts'
export { answerWithoutStores, isLocal, runCommand, runLocalCommand } from './run.ts'
