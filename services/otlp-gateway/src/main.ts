import { runService } from '@svc-server/service'
import { otlpGateway } from './service.ts'

await runService(otlpGateway, process.env)
