export { createOtlpGateway, type GatewayDeps, gatewayServerOptions, type OtlpGateway } from './app.ts'
export {
  type GatewayConfig,
  type GatewayEnvironment,
  gatewayConfig,
  gatewayEnvironment,
  gatewayProblems,
  gatewayVariables,
} from './config.ts'
export { gatewayMetrics } from './metrics.ts'
