export { objectOf } from './object-of.ts'
export { parseJson, type Revive } from './parse-json.ts'
