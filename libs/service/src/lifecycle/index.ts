export { createPatientStart, type Opening, type PatientStartOptions } from './patient-start.ts'
export { type ProcessContext, type ProcessOptions, type ProcessSettings, processSettings, runProcess } from './process.ts'
export { type NamedService, type ProcessHost, type RunOptions, runUntilSignal, type Service } from './run-until-signal.ts'
