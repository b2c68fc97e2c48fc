// One writer as a process of its own.
import { runProcess } from '@svc-server/service/lifecycle'
import { writerProcessEnvironment } from './config.ts'
import { createWriterProcess } from './process.ts'

await runProcess({
  service: 'events-writer',
  summary: 'events-writer: event log to column store. Several share the partitions and take over from each other.',
  schema: writerProcessEnvironment,
  env: process.env,
  create: createWriterProcess,
})
