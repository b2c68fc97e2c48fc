// One gateway as a process of its own.
import { runProcess } from '@svc-server/service/lifecycle'
import { gatewayProcessEnvironment } from './config.ts'
import { createGatewayProcess } from './process.ts'

await runProcess({
  service: 'otlp-gateway',
  summary: 'otlp-gateway: OTLP over HTTP to the event log. Any number of them run beside each other.',
  schema: gatewayProcessEnvironment,
  env: process.env,
  create: createGatewayProcess,
})
