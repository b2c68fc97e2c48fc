export { isDeeperThan, isTextDeeperThan, maxTextLevels } from './nesting.ts'
export { objectOf } from './object-of.ts'
export { parseJson, type Revive } from './parse-json.ts'
