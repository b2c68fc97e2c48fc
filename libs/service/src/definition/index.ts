export {
  defineService,
  type Front,
  type PreparedService,
  type RunningService,
  type ServiceDefinition,
  type ServiceTools,
  serviceSettings,
} from './define-service.ts'
export { runService, settingsBeside, settingsOfService, variablesOfService } from './run-service.ts'
