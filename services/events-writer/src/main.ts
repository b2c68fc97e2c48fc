import { runService } from '@svc-server/service'
import { eventsWriter } from './service.ts'

await runService(eventsWriter, process.env)
