export { type Engine, type EngineLogger, type EngineOptions, type EngineState, startEngine } from './start-engine.ts'
