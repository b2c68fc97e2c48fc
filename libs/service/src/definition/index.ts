export {
  defineService,
  type RequestHandlers,
  type RunningService,
  type ServiceDefinition,
  type ServiceTools,
} from './define-service.ts'
export { runService, settingsBeside, settingsOfService, variablesOfService } from './run-service.ts'
