import { runService } from '@svc-server/service'
import { merger } from './service.ts'

await runService(merger, process.env)
