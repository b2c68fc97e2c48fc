// Runs a case of a client in a separate process, because the patches of an instrumentation cannot be removed.

import { join } from 'node:path'
import { env } from 'node:process'
import { pathToFileURL } from 'node:url'

const folder = env.RECORD_FOLDER

// Stack traces in payloads must not contain paths of this machine.
Error.prepareStackTrace = (error, frames) =>
  [`${error}`, ...frames.map(frame => `    at ${frame}`)]
    .join('\n')
    .replaceAll(folder, '/app')
    .replaceAll(import.meta.dirname, '/app')

const { load, require } = await import(pathToFileURL(join(folder, 'load.mjs')).href)

const { cases } = await import(`./clients/${env.RECORD_SCRIPT}`)
const run = cases[env.RECORD_CASE]
if (run === undefined) throw new Error(`${env.RECORD_SCRIPT} has no case ${env.RECORD_CASE}`)
await run({
  client: env.RECORD_CLIENT,
  load,
  require,
  collectorUrl: env.RECORD_COLLECTOR,
  modelUrl: env.RECORD_MODEL,
})
// Clients do not close their timers and sockets, so the process would not end by itself.
process.exit(0)
