export { drainEach } from './drain-each.ts'
export { createPatientStart, type Opening } from './patient-start.ts'
export { type ProcessContext, type ProcessSettings, processSettings, runProcess } from './process.ts'
export { type NamedService, runUntilSignal, type Service } from './run-until-signal.ts'
