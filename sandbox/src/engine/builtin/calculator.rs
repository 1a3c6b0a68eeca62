//! Evaluation of arithmetic expressions.

/// Evaluates an expression; `Err` describes the syntax error.
pub fn evaluate(expression: &str) -> Result<f64, String> {
    let mut parser = Parser { rest: expression, depth: 0 };
    let value = parser.sum()?;
    match parser.peek() {
        None if value.is_finite() => Ok(value),
        None => Err("the result is not a number".to_owned()),
        Some(c) => Err(format!("unexpected “{c}”")),
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

/// Limit for nested parentheses, to protect the stack.
const MAX_DEPTH: usize = 64;

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, c: char) {
        self.rest = &self.rest[c.len_utf8()..];
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(operator @ ('+' | '-')) = self.peek() {
            self.take(operator);
            let right = self.product()?;
            value = if operator == '+' { value + right } else { value - right };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.factor()?;
        while let Some(operator @ ('*' | '/')) = self.peek() {
            self.take(operator);
            let right = self.factor()?;
            value = if operator == '*' { value * right } else { value / right };
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<f64, String> {
        match self.peek() {
            Some(c @ ('-' | '(')) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err("the expression is nested too deeply".to_owned());
                }
                self.take(c);
                let value = if c == '-' { -self.factor()? } else { self.parenthesis()? };
                self.depth -= 1;
                Ok(value)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) => Err(format!("unexpected “{c}”")),
            None => Err("the expression ends too early".to_owned()),
        }
    }

    fn parenthesis(&mut self) -> Result<f64, String> {
        let value = self.sum()?;
        match self.peek() {
            Some(')') => {
                self.take(')');
                Ok(value)
            }
            _ => Err("a parenthesis is not closed".to_owned()),
        }
    }

    fn number(&mut self) -> Result<f64, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.parse().map_err(|_| format!("“{number}” is not a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_parentheses_and_faults() {
        assert_eq!(evaluate("2 + 3 * 4"), Ok(14.0));
        assert_eq!(evaluate("-(2 + 3) * 4 / 2"), Ok(-10.0));
        for bad in ["", "2 +", "(1", "1/0", "two", "1.2.3", &"(".repeat(500)] {
            assert!(evaluate(bad).is_err(), "{bad}");
        }
    }
}
