// The version of the mapping rules that created a row. An insert intent contains this version. A writer with different rules therefore
// knows that the earlier writer possibly stored different rows. The ledger also records this version for each chunk.
//
// Raise the version with every change that affects a row or a rejection; the golden rows of test/golden enforce this.

export const mappingVersion = '21'
