import { runService } from '@svc-server/service'
import { backfillRunner } from './service.ts'

await runService(backfillRunner, process.env)
