import { runService } from '@svc-server/service'
import { stagingPropagator } from './service.ts'

await runService(stagingPropagator, process.env)
