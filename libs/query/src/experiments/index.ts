export { listExperimentItems } from './items.ts'
export { listExperiments } from './list.ts'
