/** A sentence as the process says it, `{}` where something varies; the same in Chinese; and in
 * plainer English, where the process speaks to a terminal or a log first. The parts that vary
 * follow in the same order. */
export type Sentence = readonly [said: string, chinese: string, english?: string];
