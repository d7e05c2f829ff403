// Spring AI, which observes itself by Micrometer: a chat client that calls a tool.
package weather;

import java.util.Map;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class Weather {
  public static void main(String[] arguments) {
    SpringApplication.exit(SpringApplication.run(Weather.class, arguments));
  }

  @Bean
  CommandLineRunner ask(ChatClient.Builder builder) {
    return arguments ->
        builder
            .build()
            .prompt()
            .system("Answer in one sentence.")
            .user("What is the weather in Zürich?")
            .tools(new Tools())
            .call()
            .content();
  }

  static class Tools {
    @Tool(name = "get_weather", description = "Weather of a city.")
    Map<String, Object> weather(String city) {
      return Map.of("temperature_c", 21, "sky", "clear");
    }
  }
}
