// The engine's process. The engine can crash, exhaust its memory or block its threads without affecting a service. Only start-engine.ts
// starts it.
import { writeSync } from 'node:fs'
import { makeFilesPrivate } from '@svc-server/service/files'
import { loadBinding } from './process/binding.ts'
import { dieWithParent } from './process/lifeline.ts'
import { goBehindParent } from './process/priority.ts'
import type { ChildOptions, FromChild, ToChild } from './process/protocol.ts'
import { type ServedEngine, serveEngine } from './serve.ts'

const send = (message: FromChild): void => {
  process.send?.(message)
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
const reportDefect = (error: unknown): void => send({ kind: 'defect', stack: stackOf(error) })

const reasonOf = (error: unknown): Extract<FromChild, { kind: 'failed' }>['reason'] => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL') return 'port'
  return error instanceof Error && error.name === 'ChdbPlatformUnsupportedError' ? 'platform' : 'engine'
}

const start = async (options: ChildOptions): Promise<ServedEngine | null> => {
  try {
    if (options.isBehindParent) goBehindParent()
    const engine = await serveEngine(loadBinding(), options, reportDefect)
    send({ kind: 'ready', port: engine.port, version: engine.version, bootId: engine.bootId })
    return engine
  } catch (error) {
    send({ kind: 'failed', reason: reasonOf(error), message: error instanceof Error ? error.message : String(error) })
    return null
  }
}

// Only the parent ends this process: a Ctrl-C must not interrupt an insert.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
makeFilesPrivate()
dieWithParent()
// An ordinary exit would wait for the engine's threads and could hang while the port stays open.
const endAtOnce = (error: unknown): void => {
  writeSync(2, `${stackOf(error)}\n`)
  process.kill(process.pid, 'SIGKILL')
}
process.on('uncaughtException', endAtOnce).on('unhandledRejection', endAtOnce)

let engine: Promise<ServedEngine | null> | undefined
process.on('message', (message: ToChild) => {
  if (message.kind === 'start') engine ??= start(message.options)
  else if (message.kind === 'beat') void engine?.then(served => served?.beat()).then(() => send({ kind: 'beat' }))
  else void engine?.then(async served => send({ kind: 'stopped', clean: (await served?.stop(message.graceMs)) ?? true }))
})
