export { createStagingPropagator, type PropagatorDeps, type StagingPropagator } from './app.ts'
export {
  type PropagatorConfig,
  type PropagatorEnvironment,
  propagatorConfig,
  propagatorProcessEnvironment,
  propagatorVariables,
} from './config.ts'
export { propagatorMetrics } from './metrics.ts'
