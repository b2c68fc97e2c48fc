import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { type GuardedProcess, spawnGuarded } from '../guarded-process.ts'

export type BrokerProcess = GuardedProcess

export async function spawnBroker(directory: string, command: readonly string[]): Promise<BrokerProcess> {
  const logFile = join(directory, 'broker.log')
  closeSync(openSync(logFile, 'a'))
  return spawnGuarded({ what: 'A Kafka broker', command, logFile, readyLine: 'Kafka Server started', orphanSignal: 'KILL' })
}
