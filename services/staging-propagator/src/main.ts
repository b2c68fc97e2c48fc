// One propagator as a process of its own.
import { runProcess } from '@svc-server/service/lifecycle'
import { propagatorProcessEnvironment } from './config.ts'
import { createPropagatorProcess } from './process.ts'

await runProcess({
  service: 'staging-propagator',
  summary: 'staging-propagator: fills trace attributes into staged spans. Several share the partitions and take over from each other.',
  schema: propagatorProcessEnvironment,
  env: process.env,
  create: createPropagatorProcess,
})
