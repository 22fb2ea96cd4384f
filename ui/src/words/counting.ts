// How a language writes numbers, and the word for what is counted.

/** The number formats of `locale`. */
export function counting(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number) => numbers.format(n);
  const one = (n: number) => plurals.select(n) === "one";
  return {
    number,
    one,
    counted: (n: number, single: string, other: string) =>
      `${number(n)} ${one(n) ? single : other}`,
  };
}
