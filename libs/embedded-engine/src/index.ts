export { type Engine, type EngineOptions, type EngineState, startEngine } from './start-engine.ts'
