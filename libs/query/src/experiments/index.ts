export { listExperimentItems, streamExperimentItems } from './items.ts'
export { listExperiments } from './list.ts'
