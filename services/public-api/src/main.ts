import { runService } from '@svc-server/service'
import { publicApi } from './service.ts'

await runService(publicApi, process.env)
