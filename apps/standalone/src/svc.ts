// `npm run svc -- <command>`: on the stores of separate processes, through the socket of the instance that runs, or with the directory's lock.

import { isAppError } from '@svc-server/errors'
import { loadConfig } from '@svc-server/service/configuration'
import { makeFilesPrivate } from '@svc-server/service/files'
import { createLogger } from '@svc-server/service/logs'
import { answerWithoutStores, isLocal, runCommand, runLocalCommand } from '@svc-server/svc'
import { type CommandOutput, sendCommand, socketPathOf } from './command-socket.ts'
import { type StoreEnvironment, standaloneVariables, storeEnvironment } from './config.ts'
import { dataDirectoryOf, lockDataDirectory } from './data-dir.ts'
import { openRemoteStores } from './remote-stores.ts'
import { openStores } from './stores.ts'

const output: CommandOutput = {
  print: line => void process.stdout.write(`${line}\n`),
  printError: line => void process.stderr.write(`${line}\n`),
}

const loggerOf = (level: 'warn' | 'error') =>
  createLogger({ service: 'svc', level, pretty: process.stderr.isTTY === true, destination: process.stderr })

async function runRemotely(argv: readonly string[], env: StoreEnvironment): Promise<number> {
  const stores = openRemoteStores(env, loggerOf('error'))
  const { keys, log, columnStore } = stores
  try {
    return await runCommand(argv, { keys, log, columnStore, servicesRunning: false, print: output.print }, output.printError)
  } finally {
    await stores.close()
  }
}

async function runHere(argv: readonly string[], env: StoreEnvironment, dataDirectory: string): Promise<number> {
  const directory = lockDataDirectory(dataDirectory)
  const stores = openStores(env, { writeMode: 'events_only' }, directory, loggerOf('warn'))
  const { keys, log, columnStore } = stores
  try {
    return await runCommand(argv, { keys, log, columnStore, servicesRunning: false, print: output.print }, output.printError)
  } finally {
    await stores.close()
    directory.release()
  }
}

async function main(argv: readonly string[]): Promise<number> {
  const early = answerWithoutStores(argv)
  if (early) {
    ;(early.exitCode === 0 ? output.print : output.printError)(early.text)
    return early.exitCode
  }
  if (isLocal(argv)) return runLocalCommand(argv, output.print, output.printError)
  try {
    const { config: env } = loadConfig(storeEnvironment, process.env, { service: 'svc', alsoKnown: Object.keys(standaloneVariables) })
    if (env.SVC_LOG === 'kafka') return await runRemotely(argv, env)
    const dataDirectory = dataDirectoryOf(env)
    return (await sendCommand(socketPathOf(dataDirectory), argv, output)) ?? (await runHere(argv, env, dataDirectory))
  } catch (error) {
    if (!isAppError(error)) throw error
    output.printError(`svc: ${error.message}`)
    return 1
  }
}

makeFilesPrivate()
process.exitCode = await main(process.argv.slice(2))
