export { type Budget, createBudget, type Lease } from './budget.ts'
export { free } from './free.ts'
export {
  type Body,
  type BodyLimits,
  type BodyWatch,
  ClientGone,
  declaredBytes,
  discard,
  discardBody,
  readBody,
  readPrefixed,
  tooLarge,
} from './read-body.ts'
export { type Answer, send } from './send.ts'
