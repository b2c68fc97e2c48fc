export { type KafkaLogRequest, openRemoteLog } from './event-log.ts'
export { openColumnStore, openKeys, openRelational } from './open.ts'
export { type MigrateOptions, migrateTables } from './tables.ts'
export {
  type ColumnStoreEnvironment,
  columnStoreVariables,
  type FirstProjectEnvironment,
  firstProjectProblems,
  firstProjectVariables,
  type KafkaEnvironment,
  kafkaProblems,
  kafkaVariables,
  type RelationalEnvironment,
  relationalVariables,
  saltVariables,
} from './variables.ts'
