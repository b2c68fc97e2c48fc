export {
  type BlockMeta,
  bytes,
  choice,
  cidrs,
  durationMs,
  flag,
  integer,
  list,
  minutes,
  port,
  printBytes,
  type Range,
  ratio,
  seconds,
  secret,
  text,
  url,
} from './blocks.ts'
export { envHelp, envTable } from './env-table.ts'
export { type Environment, type LoadedConfig, type LoadOptions, loadConfig, unknownVariables } from './load-config.ts'
