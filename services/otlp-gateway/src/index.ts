export { createOtlpGateway, type GatewayDeps, gatewayServerOptions, type OtlpGateway } from './app.ts'
export { createKeyAuthenticator } from './authentication.ts'
export {
  type GatewayConfig,
  type GatewayEnvironment,
  gatewayConfig,
  gatewayEnvironment,
  gatewayProblems,
  gatewayProcessEnvironment,
  gatewayVariables,
} from './config.ts'
export { createGatewayConnections } from './connections.ts'
export { gatewayMetrics } from './metrics.ts'
